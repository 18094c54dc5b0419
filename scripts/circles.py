#!/usr/bin/env python3
"""Finds circles among objects of C: each uses a symbol of another, and that of it in the end.

Usage: scripts/circles.py FOLDER...     folders of a build's objects, such as CMakeFiles/sluice_preload.dir

Prints a line for each use that is part of a circle. Status 1 where there is one.
"""
import collections
import pathlib
import subprocess
import sys


def objects(folder):
    """Objects of a target. What an earlier state of the sources left there is not one: the target's rules do not name it."""
    rules = folder / "build.make"
    named = rules.read_text() if rules.exists() else None
    found = sorted(folder.rglob("*.o"))
    return [each for each in found if named is None or "%s/%s:" % (folder.name, each.relative_to(folder)) in named]


def uses(among):
    """For each object the others that it uses, with the symbols that it has of them."""
    defined, undefined = {}, collections.defaultdict(set)
    listed = subprocess.run(["nm", "-gpA", *among], capture_output=True, text=True, check=True).stdout if among else ""
    for line in listed.splitlines():
        each, rest = line.rsplit(":", 1)
        kind, name = rest.split()[-2:]
        if kind in "TDBRVW":
            defined[name] = pathlib.Path(each)
        elif kind == "U":
            undefined[pathlib.Path(each)].add(name)
    found = {each: collections.defaultdict(list) for each in among}
    for each in among:
        for name in sorted(undefined[each]):
            if defined.get(name, each) != each:
                found[each][defined[name]].append(name)
    return found


def reached(graph, begin):
    found, rest = set(), [begin]
    while rest:
        for following in set(graph[rest.pop()]) - found:
            found.add(following)
            rest.append(following)
    return found


def circles(graph):
    """What is in a circle: each such object with those of its circle that it uses itself."""
    behind = {each: reached(graph, each) for each in graph}
    return {each: [other for other in graph[each] if each in behind[other]] for each in graph if each in behind[each]}


def main(folders):
    graph = uses([each for folder in folders for each in objects(pathlib.Path(folder))])
    if not graph:
        sys.exit("there are no objects in %s" % " ".join(folders))
    found = circles(graph)
    for each, others in found.items():
        for other in others:
            print("%s uses %s: %s" % (each.stem, other.stem, ", ".join(graph[each][other])))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__.strip())
        sys.exit(0 if sys.argv[1:] in (["-h"], ["--help"]) else 2)
    main(sys.argv[1:])
