"""What ties the formulas together: strategies, laws, and independent witnesses."""
