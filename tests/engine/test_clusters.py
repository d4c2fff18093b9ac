"""A quote runs on the network of the cluster that serves it."""

from procurement.engine.clusters import completed
from tests.engine.cost_documents import answered, build, document, option, quote, workload

TRAINING = {"params_b": 7, "tokens_per_step": 4e6, "mfu_node": 0.4}


def campus(**changes):
    return build(64, id="campus", operator="Cloud", costs=[], **changes)


def silent(**changes):
    left_out = ("fabric", "network_gbps_per_accelerator")
    return {name: value for name, value in quote(cluster="campus", **changes).items() if name not in left_out}


def useful_share(offer, **changes):
    needs = workload(shape="one_job", accelerators=32, training=TRAINING, demand={"hours_per_month": 300})
    answer = answered(document(quotes=[offer], builds=[campus(**changes)], workloads=[needs]))
    assert option(answer, "cloud:od")["feasible"]
    return answer["throughput"]["w"]["od"]["efficiency"]


def test_what_a_quote_leaves_out_of_its_network_is_that_of_its_cluster():
    stated = {**silent(), "fabric": "infiniband", "network_gbps_per_accelerator": 400}

    assert useful_share(silent()) == useful_share(stated)
    assert useful_share(silent(), network_gbps_per_accelerator=100) < useful_share(silent())


def test_what_a_quote_states_itself_holds():
    slower = {**silent(), "fabric": "infiniband", "network_gbps_per_accelerator": 100}

    assert useful_share(slower) < useful_share(silent())


def test_a_quote_without_a_cluster_stays_as_it_is():
    stated = object()

    assert completed(stated, None) is stated
