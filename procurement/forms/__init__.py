"""What people type: read tolerantly, refused with reasons, handed to services as values."""
