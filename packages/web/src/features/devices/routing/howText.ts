import type { DataRoute } from '@leitstand/contract/virtualdevices'
import type { TFunction } from 'i18next'

/** Whether a value is passed on unchanged or combined with others. */
export function howText(route: DataRoute, t: TFunction): string {
  return route.sourceCount === 1
    ? t('devices.routing.asItIs')
    : t('devices.routing.combined', {
        method: t(`series.methods.${route.method}`),
        count: route.sourceCount,
      })
}
