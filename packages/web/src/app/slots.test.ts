import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const src = join(import.meta.dirname, '..')

it('every slot has a line in slots.ts', () => {
  const created = globSync('features/*/slots.ts', { cwd: src }).flatMap((file) =>
    [...readFileSync(join(src, file), 'utf8').matchAll(/createSlot<.+>\(\s*'(\w+)'/g)].map(
      ([, name]) => name,
    ),
  )
  const filled = [...readFileSync(join(src, 'app/slots.ts'), 'utf8').matchAll(/(\w+)\.fill\(/g)].map(
    ([, name]) => name,
  )
  expect(created.length).toBeGreaterThan(0)
  expect(filled.toSorted()).toEqual(created.toSorted())
})
