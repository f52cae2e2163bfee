import { accountObjects } from './features/accounts/index.ts'
import { activityRetention } from './features/activity/index.ts'
import { alarmReportObjects } from './features/alarmReports/index.ts'
import { alarmObjects } from './features/alarms/index.ts'
import { apikeyObjects } from './features/apikeys/index.ts'
import { assetObjects } from './features/assets/index.ts'
import { connectorObjects } from './features/connectors/index.ts'
import { dashboardObjects } from './features/dashboards/index.ts'
import { deviceObjects } from './features/devices/index.ts'
import { downlinkObjects } from './features/downlinks/index.ts'
import { driverObjects } from './features/drivers/index.ts'
import { exportScheduleObjects } from './features/exportSchedules/index.ts'
import { exportObjects } from './features/exports/index.ts'
import { fileObjects } from './features/files/index.ts'
import { groupObjects } from './features/groups/index.ts'
import { healthObjects } from './features/health/index.ts'
import { ingestObjects } from './features/ingest/index.ts'
import { keyObjects } from './features/keys/index.ts'
import { letterObjects } from './features/letters/index.ts'
import { notificationObjects } from './features/notifications/index.ts'
import { setRegistry } from './features/objects/index.ts'
import { userObjects } from './features/people/index.ts'
import { providerObjects } from './features/provider/index.ts'
import { ruleObjects } from './features/rules/index.ts'
import { seriesObjects } from './features/series/index.ts'
import { signonObjects } from './features/signon/index.ts'
import { templateObjects } from './features/templates/index.ts'
import { ticketObjects } from './features/tickets/index.ts'
import { twinObjects } from './features/twins/index.ts'
import { warnappObjects } from './features/warnapp/index.ts'
import { mailRetention } from './platform/mail/index.ts'

/**
 * Registers every kind of object, low to high; `features/objects` deletes an account in the reverse order.
 */
export function registerObjects(): void {
  setRegistry({
    kinds: {
      ...accountObjects.kinds,
      ...userObjects.kinds,
      ...driverObjects.kinds,
      ...twinObjects.kinds,
      ...deviceObjects.kinds,
      ...groupObjects.kinds,
      ...connectorObjects.kinds,
      ...ruleObjects.kinds,
      ...alarmObjects.kinds,
      ...ticketObjects.kinds,
      ...assetObjects.kinds,
      ...notificationObjects.kinds,
      ...alarmReportObjects.kinds,
      ...templateObjects.kinds,
      ...dashboardObjects.kinds,
      ...exportObjects.kinds,
      ...exportScheduleObjects.kinds,
      ...warnappObjects.kinds,
      ...keyObjects.kinds,
    },
    counts: {
      ...deviceObjects.counts,
      ...fileObjects.counts,
      ...ruleObjects.counts,
      ...templateObjects.counts,
    },
    views: {
      ...userObjects.views,
      ...signonObjects.views,
      ...providerObjects.views,
      ...apikeyObjects.views,
      ...twinObjects.views,
      ...deviceObjects.views,
      ...healthObjects.views,
      ...fileObjects.views,
      ...ingestObjects.views,
      ...connectorObjects.views,
      ...ruleObjects.views,
      ...templateObjects.views,
      ...warnappObjects.views,
      ...keyObjects.views,
    },
    hooks: [deviceObjects.hooks, healthObjects.hooks, dashboardObjects.hooks],
    retention: [
      mailRetention,
      activityRetention,
      ...seriesObjects.retention,
      ...healthObjects.retention,
      ...ingestObjects.retention,
      ...letterObjects.retention,
      ...downlinkObjects.retention,
      ...alarmObjects.retention,
      ...ticketObjects.retention,
      ...assetObjects.retention,
      ...ruleObjects.retention,
      ...alarmReportObjects.retention,
      ...exportScheduleObjects.retention,
    ],
  })
}
