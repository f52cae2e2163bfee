import { readFileSync } from 'node:fs'
import { LocalMap } from '@leitstand/contract/maps'
import { expect, test } from 'vitest'
import { drawMap } from './plan.ts'

test('the map of the demo city is the one that plan.ts draws', () => {
  const drawn = drawMap()
  expect(LocalMap.parse(drawn)).toEqual(drawn)
  expect(JSON.parse(readFileSync(new URL('map.geojson', import.meta.url), 'utf8'))).toEqual(drawn)
})
