import { type Range, readRange } from '../../../lib/range.ts'
import { useUrlSearch } from '../../../lib/url.ts'

/** The period whose tracks are shown, in the address. */
export function useTrackRange(): [Range, (range: Range) => void] {
  const [search, update] = useUrlSearch()
  const change = (next: Range) =>
    update(
      'preset' in next
        ? { range: next.preset, from: undefined, to: undefined }
        : {
            range: undefined,
            from: new Date(next.fromMs).toISOString(),
            to: new Date(next.toMs).toISOString(),
          },
    )
  return [readRange(search, '7d'), change]
}
