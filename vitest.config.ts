import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** The files of a worker share their modules: importing the server took longer than what most files test. */
const isolate = false

/** What a test waits for has to come true, not to come true within the second that Vitest would wait. */
const expect = { poll: { timeout: 60_000 } }

const web = fileURLToPath(new URL('packages/web', import.meta.url))

/** What Vite generates for the console. */
const alias = [
  { find: 'virtual:contract', replacement: `${web}/test/contract.ts` },
  { find: /^virtual:texts\/(de|en)\/(?:first|rest|offline)$/, replacement: `${web}/src/locales/$1.json` },
]

/**
 * unit: pure, next to what they test (`*.test.ts`).
 * integration: against a real PostgreSQL, one server for the run, a database of its own for each file
 * (`*.integration.test.ts`, see packages/server/test/kit.ts).
 * browser: journeys through the console (e2e).
 */
export default defineConfig({
  test: {
    allowOnly: false,
    passWithNoTests: false,
    // Two also on two cores: a test file often waits for the database, a script or another program.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      {
        resolve: { alias },
        test: {
          name: 'unit',
          isolate,
          expect,
          include: ['packages/*/{src,test,scripts}/**/*.test.{ts,tsx}'],
          exclude: ['**/*.integration.test.ts'],
          setupFiles: ['packages/server/test/seed.ts'],
          // A slow machine takes several times as long as a quick one; only what hangs is to be ended.
          testTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'integration',
          isolate,
          expect,
          include: ['packages/*/{src,test}/**/*.integration.test.ts'],
          globalSetup: ['packages/server/test/database.ts'],
          setupFiles: [
            'packages/server/test/seed.ts',
            'packages/server/test/connections.setup.ts',
            'packages/server/test/cleanup.setup.ts',
          ],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          name: 'browser',
          include: ['e2e/**/*.test.ts'],
          isolate,
          expect,
          globalSetup: ['e2e/kit/firstStart.ts'],
          // After the others: a browser and a server are busy at once, and their tests wait for what a person would see.
          sequence: { groupOrder: 1 },
          maxWorkers: Math.max(2, Math.floor(availableParallelism() / 2)),
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
})
