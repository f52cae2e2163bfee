import fc from 'fast-check'

// Every property test uses the run's seed if set; otherwise each picks its own and prints it on failure.
const { FUZZ_SEED } = process.env
if (FUZZ_SEED !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(FUZZ_SEED) })
