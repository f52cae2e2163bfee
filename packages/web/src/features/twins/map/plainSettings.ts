import type { MapSettings } from '@leitstand/contract/mapSettings'

/** Of a map of all twins. The same as the contract's, without loading its schemas. */
export const plainSettings: MapSettings = {
  states: [],
  operators: [],
  tags: [],
  markerStyle: 'default',
  distance: 50,
  pitch: 50,
  bearing: 0,
  zoom: null,
  maxZoom: null,
  style: null,
}
