"""summary.py TESTS [--budgets | --record]: what came out of the tests whose reports are below a directory.

CTest's report names every test. A module's tests of Java are one of it, whose own report is in
java/MODULE; they are counted instead. Says what was skipped and why, the ten slowest tests, the time of each suite and
the processor time that its tests took, what failed and what it said last, and in its last line how many passed, failed and
were skipped. Exits with 1 unless all passed.

With --budgets the run was of all tests: a suite that grew by more than a tenth fails. What suites take is recorded in
`budgets` with --record, the most of several runs, by page faults of their processes: starts of processes and memory that
is touched, whatever the machine is busy with. Two runs of a suite differ by one per cent in these, and by 20 in processor
time. Where time decides how often something is done they differ by 12, and only more than a quarter fails. The machine's
own factor is that of most suites. On a machine with much else to do, tests look and try again more often. So a run that
took a third longer than the recorded one is not judged.
"""
import collections
import pathlib
import re
import statistics
import sys
import xml.etree.ElementTree as xml

SLOWEST = 10
SAID_LINES = 15
SAID_WIDTH = 300
BUDGETS = pathlib.Path(__file__).with_name("budgets")
GROWTH = 1.1
BY_TIME = re.compile("commands.(waves|bench)|jcstress")  # checkpoints each half second, rounds of some seconds
GROWTH_BY_TIME = 1.25
FLOOR = 50_000  # page faults, of three starts of a JVM
SECONDS = "seconds"  # the line of the record that has the time of the whole run
SLOWER = 4 / 3

Test = collections.namedtuple("Test", "name seconds outcome reason")


def of_ctest(case):
    outcome = {"run": "passed", "notrun": "skipped"}.get(case.get("status"), "failed")
    output = (case.findtext("system-out") or "").strip().splitlines()
    skipped = case.find("skipped")
    if outcome == "skipped" and "SKIP" not in (skipped.get("message") if skipped is not None else ""):
        outcome = "failed"  # it is not there, or what it needs failed
    if outcome == "failed":
        reason = "\n".join(output[-SAID_LINES:])
    else:
        reason = output[-1].partition(": ")[2] if output else "no reason given"
    return Test(case.get("name"), float(case.get("time")), outcome, reason)


def of_junit(module, case):
    outcome, reason = "passed", ""
    for child in case:
        if child.tag in ("failure", "error"):
            outcome, reason = "failed", "\n".join((child.text or "").strip().splitlines()[:SAID_LINES])
        elif child.tag == "skipped":
            outcome, reason = "skipped", (child.text or "").strip().splitlines()[0]
    name = f"java.{module}.{case.get('classname').rpartition('.')[2]}.{case.get('name')}"
    return Test(name, float(case.get("time")), outcome, reason)


def all_tests(directory):
    for case in xml.parse(directory / "ctest.xml").iter("testcase"):
        test = of_ctest(case)
        suite, _, module = test.name.partition(".")
        reports = sorted((directory / suite / module).glob("TEST-*.xml")) if suite == "java" else []
        inner = [of_junit(module, each) for report in reports for each in xml.parse(report).iter("testcase")]
        yield from inner
        # A JVM that died, or found a fault outside a test, has failed though no test of it has.
        if not inner or test.outcome == "failed" and all(each.outcome != "failed" for each in inner):
            yield test


def suite_of(name):
    return ".".join(name.split(".")[:2])


def processor_times(directory):
    """By suite, of what `timed` left: seconds of all processors together."""
    suites = collections.Counter()
    for file in (directory / "times").glob("*"):
        for minutes, seconds in re.findall(r"(\d+)m([\d.]+)s", file.read_text().splitlines()[1]):
            suites[suite_of(file.name)] += 60 * int(minutes) + float(seconds)
    return suites


def seconds(directory):
    """From the end of the first test to that of the last one."""
    ends = [file.stat().st_mtime for file in (directory / "times").glob("*")]
    return int(max(ends) - min(ends))


def page_faults(directory):
    """By suite, of what `timed` left."""
    suites = collections.Counter()
    for file in (directory / "times").glob("*"):
        suites[suite_of(file.name)] += int(file.read_text().splitlines()[2])
    return suites


def recorded():
    lines = BUDGETS.read_text().splitlines() if BUDGETS.exists() else []
    return {suite: int(count) for suite, count in (line.split() for line in lines)}


def record(faults):
    before = recorded()
    faults = {suite: max(count, before.get(suite, 0)) for suite, count in faults.items()}
    BUDGETS.write_text("".join(f"{suite} {count}\n" for suite, count in sorted(faults.items())))


def over_budget(faults, took):
    """The suites that grew, each as a test that failed. One that is not recorded yet has no budget."""
    before = recorded()
    if took > before.pop(SECONDS, took) * SLOWER:
        print(f"The tests took {took} s, as on a busy machine: no suite is judged by its budget.")
        return
    known = [suite for suite in before if suite in faults]
    factor = statistics.median(faults[suite] / before[suite] for suite in known)
    for suite in known:
        budget = before[suite] * factor
        if faults[suite] > budget * (GROWTH_BY_TIME if BY_TIME.match(suite) else GROWTH) + FLOOR:
            reason = (
                f"{faults[suite]} page faults, {faults[suite] / budget - 1:.0%} more than recorded: let tests start fewer"
                " processes, or record what this run took: summary.py target/tests --record"
            )
            yield Test(f"budget.{suite}", 0, "failed", reason)


def print_suites(tests, processor):
    suites = collections.Counter()
    for test in tests:
        suites[suite_of(test.name)] += test.seconds
    print("The suites, all their tests together; behind it what processors worked for them:")
    for suite, seconds in suites.most_common():
        print(f"  {seconds:6.1f} s {processor[suite]:6.1f} s  {suite}" if suite in processor else f"  {seconds:6.1f} s           {suite}")
    print(f"  {sum(suites.values()):6.1f} s {sum(processor.values()):6.1f} s  all")


def main():
    directory = pathlib.Path(sys.argv[1])
    if "--record" in sys.argv:
        record({**page_faults(directory), SECONDS: seconds(directory)})
        return
    tests = list(all_tests(directory))
    counts = collections.Counter(test.outcome for test in tests)
    print("\nThe slowest:")
    for test in sorted(tests, key=lambda each: -each.seconds)[:SLOWEST]:
        print(f"  {test.seconds:6.1f} s  {test.name}")
    print_suites(tests, processor_times(directory))
    if "--budgets" in sys.argv and BUDGETS.exists():
        grown = list(over_budget(page_faults(directory), seconds(directory)))
        tests += grown
        counts["failed"] += len(grown)
    reasons = collections.Counter(test.reason for test in tests if test.outcome == "skipped")
    if reasons:
        print("Skipped:")
    for reason, count in reasons.most_common():
        print(f"  {count:4}  {reason}")
    for test in tests:
        if test.outcome == "failed":
            print(f"FAILED: {test.name}")
            for line in test.reason.splitlines():
                print(f"    {line[:SAID_WIDTH]}")
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    sys.exit(counts["failed"] > 0 or counts["passed"] == 0)


main()
