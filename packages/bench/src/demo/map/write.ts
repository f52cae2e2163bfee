import { writeFileSync } from 'node:fs'
import { drawMap } from './plan.ts'

// `node packages/bench/src/demo/map/write.ts` draws the map of the demo city again, after `plan.ts` was changed.
writeFileSync(new URL('map.geojson', import.meta.url), `${JSON.stringify(drawMap())}\n`)
