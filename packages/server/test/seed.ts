import fc from 'fast-check'

// Every property test of a run takes the seed the run was given; without one each takes its own and prints it when it fails.
const { FUZZ_SEED } = process.env
if (FUZZ_SEED !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(FUZZ_SEED) })
