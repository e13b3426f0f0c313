"""Operators from classes: functions, layers and models that keep what they need on themselves."""
