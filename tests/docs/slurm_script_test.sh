#!/bin/bash
# Runs the Slurm script of docs/sweep.md with mpirun in the place of Slurm: as a job of two tasks.
# Usage: slurm_script_test.sh PROGRAM MPIRUN DOCUMENT IMAGE
set -euo pipefail
# shellcheck source=tests/docs/document_blocks.sh
. "$(dirname "$0")/document_blocks.sh"

program=$(realpath "$1")
document=$(realpath "$3")
image=$(realpath "$4")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

blocks "$document" bash >sweep.sh
[ "$(grep -c '^#SBATCH --' sweep.sh)" -ge 5 ]

# What srun does with the words after its options.
cat >srun <<END
#!/bin/bash
[ "\$1 \$2" = "--mpi=pmix --cpus-per-task=1" ] || exit 2
options=(-n 2 --oversubscribe --bind-to none)
[ "\$(id -u)" -ne 0 ] || options+=(--allow-run-as-root)
exec "$2" "\${options[@]}" "\${@:3}"
END
chmod +x srun

PATH=$work:$(dirname "$program"):$PATH SLURM_CPUS_PER_TASK=1 bash sweep.sh "$image" | tee output
grep -q '^24 points of 1 image: results//*report.html$' output
[ "$(wc -l <results/results.csv)" -eq 25 ]
