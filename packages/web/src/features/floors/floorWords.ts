import type { Floor } from '@leitstand/contract/floors'

/** A floor in a narrow list: its number and its name, else its title. */
export function floorWords({ floorNumber, floorName, title }: Floor): string {
  const name = floorName === '' ? title : floorName
  return floorNumber === null ? name : `${floorNumber} · ${name}`
}
