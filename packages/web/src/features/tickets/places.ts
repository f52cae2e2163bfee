import { client } from '../../lib/api.ts'
import { placeText } from './pure.ts'

/** Places to report at, with what is above them. */
export async function loadPlaces(search: string) {
  const { items } = await client.isFmTicket.places({ limit: 20, ...(search ? { search } : {}) })
  return items.map((place) => ({ value: String(place.id), label: placeText(place) }))
}
