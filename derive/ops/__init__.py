"""Every primitive of a layer: its shape rule, what each operand's gradient needs, its products, its parameters."""
