"""The vocabularies of the scenario document: every code a column may hold."""

PRICE_BASES = ("per_accelerator_hour", "per_instance_hour", "per_slice_hour", "per_month", "term_total")
PURCHASE_MODELS = (
    "on_demand", "spot", "low_priority", "promo", "reserved", "savings_plan", "cud", "capacity_block", "dws",
    "market_floor", "contract",
)  # fmt: skip
COMMITTED_PURCHASE_MODELS = ("reserved", "savings_plan", "cud", "capacity_block", "contract")
PAYMENT_OPTIONS = ("none", "partial", "all")
INTERCONNECTS = ("single_accelerator", "single_node", "multi_node", "cluster_scale")  # weakest first
FABRICS = ("nvlink_rack", "infiniband", "roce", "ethernet", "tpu_ici", "none")
CAPACITY_CLASSES = ("confirmed", "reservation_offer", "on_demand", "queue", "spot", "pending")
DESIGN_CLASSES = ("single_node", "multi_node")
COMPONENTS = (
    "hardware", "network", "storage", "installation", "spares", "power", "space", "colocation", "maintenance",
    "staff", "licences", "operations", "insurance", "tax", "duty", "disposal", "other",
)  # fmt: skip
CLOUD_COMPONENTS = ("compute", "unused_commitment", "storage", "egress", "support", "setup", "exit")
COST_BASES = (
    "once", "per_month", "per_year", "per_accelerator_month", "per_running_hour", "per_kw_month",
    "fraction_of_hardware_per_year",
)  # fmt: skip
COST_STATUSES = ("planned", "committed", "paid")
SHAPES = ("one_job", "replicas", "independent_jobs")
KINDS = (
    "llm_training", "fine_tuning", "generative_media", "recommendation_training", "vision_training",
    "simulation_autonomous", "simulation_scientific", "healthcare_training", "fraud_detection", "llm_inference",
    "batch_inference", "experimentation",
)  # fmt: skip
DEADLINE_POLICIES = ("hard", "soft", "none")
SERVICE_LEVELS = ("offline", "server", "interactive")
REDUNDANCIES = ("none", "n_plus_1_node", "two_sites")
GATES = ("installed", "powered", "cooled", "networked", "scheduled", "accessible")
EVIDENCE_GATES = (*GATES, "ordered", "delivered", "service_agreement", "utility_energized", "job_run")
GRADES = ("A", "B", "C", "D", "E")
EVENTS = ("lost", "reduced")
SLIP_CLASSES = ("construction_power", "power_uncommitted", "equipment_delivery", "bringup")
POWER_BASES = ("utility_firm", "utility_interruptible", "onsite_permanent", "onsite_temporary")
DISCOUNT_TIMINGS = ("as_ledger", "begin", "mid", "end")
RANKINGS = ("mean", "quantile")
READINGS = ("fixed_horizon", "equal_service_life")
DEPRECIATIONS = ("macrs5", "straight_line")
OWN = "own"  # the operator of a build that is ours
