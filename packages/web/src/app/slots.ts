import { accountSections, accountTabs, flagSection } from '../features/accounts/index.ts'
import { AlarmsOfDevice, AlarmsOfTwin, alarmActions } from '../features/alarms/index.ts'
import { keysTab } from '../features/apikeys/index.ts'
import { bulkEdit, bulkEditTwins, importWizard, UndoEdit } from '../features/batches/index.ts'
import { connectorTabs, diagnosisTab } from '../features/connectors/index.ts'
import { duplicateByFile, duplicateTwin, synchronizeTwin } from '../features/copies/index.ts'
import { boardActions, putOnDashboard } from '../features/dashboards/index.ts'
import {
  deviceActions,
  deviceFilterActions,
  deviceNotices,
  deviceSections,
  deviceTabs,
  deviceWizards,
  packetActions,
  selectionActions,
} from '../features/devices/index.ts'
import { downlinksTab } from '../features/downlinks/index.ts'
import { driverSections, versionActions } from '../features/drivers/index.ts'
import {
  exportDevice,
  exportGroup,
  exportSelected,
  exportTwin,
  exportTwins,
  JobFile,
  SavedExports,
} from '../features/exports/index.ts'
import { DeviceFiles, DriverFiles, GroupFiles, TwinFiles } from '../features/files/index.ts'
import { FloorsOnMap, floorPlanTab } from '../features/floors/index.ts'
import { groupActions, groupSections, SavedFilters, SavedTwinFilters } from '../features/groups/index.ts'
import { healthTab, StateOrigin } from '../features/health/index.ts'
import { jobActions, jobListActions } from '../features/jobs/index.ts'
import { DecodeOfDevice, DecodeOfDriver, deadLettersTab, decodeSelected } from '../features/letters/index.ts'
import { NotificationsSection } from '../features/notifications/index.ts'
import { createWizard } from '../features/onboarding/index.ts'
import { stateActions } from '../features/overview/index.ts'
import { profileSections, twoFactorSection, usersTab } from '../features/people/index.ts'
import { applicationsTab, GrantedSection } from '../features/provider/index.ts'
import { synchronize } from '../features/remotes/index.ts'
import { defaultRolesSection, insightTab } from '../features/rights/index.ts'
import { deviceRulesTab, PushSection, twinRulesTab } from '../features/rules/index.ts'
import { brandScreens } from '../features/settings/index.ts'
import { ShareBoard, shareTwin } from '../features/sharing/index.ts'
import { signOnTab } from '../features/signon/index.ts'
import { TicketButton, ticketsTab } from '../features/tickets/index.ts'
import {
  stateOrigins,
  twinActions,
  twinFilterActions,
  twinMapFloors,
  twinNotices,
  twinSections,
  twinSelectionActions,
  twinTabs,
} from '../features/twins/index.ts'
import { onDemand } from '../lib/onDemand.ts'

const HomeScreen = onDemand(async () => ({ default: (await import('./BrandScreens.tsx')).HomeScreen }))
const LoginScreen = onDemand(async () => ({ default: (await import('./BrandScreens.tsx')).LoginScreen }))
const DevicesScreen = onDemand(async () => ({ default: (await import('./BrandScreens.tsx')).DevicesScreen }))
const HelpScreen = onDemand(async () => ({ default: (await import('./BrandScreens.tsx')).HelpScreen }))

/**
 * What features add to screens of earlier ones, low to high. Loaded before the first screen that has slots, so every
 * part is small here and loads its code when it is shown.
 */
export function fillSlots(): void {
  accountTabs.fill([usersTab, signOnTab, keysTab, applicationsTab, insightTab])
  accountSections.fill([twoFactorSection, defaultRolesSection, flagSection])

  brandScreens.fill([
    { key: 'home', width: 1120, height: 840, Content: HomeScreen },
    { key: 'login', width: 720, height: 540, Content: LoginScreen },
    { key: 'devices', width: 1120, height: 840, Content: DevicesScreen },
    { key: 'help', width: 1120, height: 840, Content: HelpScreen },
  ])

  profileSections.fill([GrantedSection, PushSection, NotificationsSection])

  jobActions.fill([UndoEdit, JobFile])
  jobListActions.fill([SavedExports])

  driverSections.fill([DriverFiles])
  versionActions.fill([DecodeOfDriver])

  twinFilterActions.fill([SavedTwinFilters])
  twinActions.fill([duplicateTwin, duplicateByFile, synchronizeTwin, shareTwin, exportTwin])
  twinSelectionActions.fill([bulkEditTwins, exportTwins])
  twinMapFloors.fill([FloorsOnMap])
  twinTabs.fill([floorPlanTab, ticketsTab, twinRulesTab])
  twinSections.fill([TwinFiles])
  twinNotices.fill([AlarmsOfTwin])
  stateOrigins.fill([StateOrigin])

  alarmActions.fill([TicketButton])

  deviceTabs.fill([healthTab, diagnosisTab, downlinksTab, deviceRulesTab])
  deviceNotices.fill([AlarmsOfDevice])
  deviceSections.fill([DeviceFiles])
  deviceActions.fill([synchronize, exportDevice])
  packetActions.fill([DecodeOfDevice])
  deviceFilterActions.fill([SavedFilters])
  selectionActions.fill([bulkEdit, decodeSelected, exportSelected])
  deviceWizards.fill([importWizard, createWizard])

  groupSections.fill([GroupFiles])
  groupActions.fill([exportGroup])

  stateActions.fill([putOnDashboard])

  connectorTabs.fill([deadLettersTab])

  boardActions.fill([ShareBoard])
}
