import { one, useUrlSearch } from '../../../lib/url.ts'
import { idsOf, secondsOf } from '../pure.ts'
import { Chooser } from './Chooser.tsx'
import { Screen } from './Screen.tsx'

/** The monitor for a screen on the wall, `/is-warnapp-viewer?twins=1,2&seconds=20`; without twins they are chosen here. */
export default function MonitorPage() {
  const [search] = useUrlSearch()
  const ids = idsOf(one(search, 'twins'))
  if (ids.length === 0) return <Chooser />
  return <Screen key={ids.join(',')} ids={ids} seconds={secondsOf(one(search, 'seconds'))} />
}
