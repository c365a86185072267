"""Temperatures in two scales, and the stations that measure them."""

import csv


def to_celsius(fahrenheit):
    return (fahrenheit - 30) * 5 / 9


def to_fahrenheit(celsius):
    return celsius * 9 / 5 + 32


def read_stations(path):
    with open(path, newline="") as file:
        return [(row["name"], float(row["fahrenheit"])) for row in csv.DictReader(file)]


def report(path):
    return [f"{name}: {to_celsius(degrees):.1f} C" for name, degrees in read_stations(path)]
