import program from '../../../../package.json' with { type: 'json' }
import { table } from '../output.ts'
import { readDatabase } from '../store.ts'
import { reading } from '../types.ts'

/** What the server consists of, with versions and licences; the console lists its own packages in the help. */
export const licences = reading(async ({ ctx }) => {
  const database = await readDatabase(ctx.db)
  return [
    table(
      ['part', 'version', 'licence'],
      [
        { part: program.name, version: program.version, licence: program.license },
        { part: 'Node.js', version: process.versions.node, licence: 'MIT' },
        { part: 'V8', version: process.versions.v8, licence: 'BSD-3-Clause' },
        { part: 'OpenSSL', version: process.versions.openssl ?? null, licence: 'Apache-2.0' },
        { part: 'PostgreSQL', version: database?.version ?? null, licence: 'PostgreSQL' },
      ],
    ),
  ]
})
