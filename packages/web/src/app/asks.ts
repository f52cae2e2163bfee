/** The first page of a list, as `ListTable` requests it; `$size` is what the user prefers. */
const firstPage = 'offset=0&limit=$size'

/** First data of a screen. */
interface Asks {
  /** Paths of GET calls, as the screen makes them; `$id` is that of the address. */
  calls: readonly string[]
  /** The calls depend on search and filters, so they are only made without any. */
  isList?: boolean
}

/**
 * What `public/boot.js` requests for a screen while its code is still loading. Not what changes by the second: between an
 * early answer and the subscription to its changes, one could be missed.
 */
export const asks: Readonly<Record<string, Asks>> = {
  '/home': { calls: ['/favorite'] },
  '/virtual-devices': {
    calls: [
      '/tenant/fetch/all',
      `/virtualdevice?${firstPage}&favorites=false&order_by=title&include_identifiers=true&include_properties=true`,
    ],
    isList: true,
  },
  '/virtual-devices/$id': { calls: ['/favorite', '/virtualdevice/$id'] },
  '/digitaltwin-mgmt': {
    calls: ['/tenant/fetch/all', '/digitaltwin/children/0?limit=1000'],
    isList: true,
  },
  '/digitaltwin-mgmt/$id': { calls: ['/favorite', '/digitaltwin/$id'] },
  '/digitaltwin-mgmt/map/twin/$twinId': {
    calls: [
      '/tenant/fetch/all',
      '/digitaltwin/$twinId',
      '/digitaltwin/$twinId/map-settings',
      '/digitaltwin/$twinId/floors',
      '/digitaltwin/geo-meta-infos?twinId=$twinId&excludeZones=false',
    ],
    isList: true,
  },
  '/dashboards/$id': { calls: ['/favorite', '/dashboards/$id'] },
  '/digitaltwin/rules-monitor': { calls: ['/tenant/fetch/all'], isList: true },
  '/virtual-device-drivers/$id': { calls: ['/devicedrivers/$id'] },
  '/alarm-logs': { calls: ['/tenant/fetch/all'], isList: true },
}
