"""Small pure functions of many trades, and what people ask that means them."""
