/** Exports for later features. */
export { DeviceClusters } from './DeviceClusters.tsx'
export { deviceColumns } from './deviceColumns.tsx'
export { ConnectorStep } from './fields/ConnectorStep.tsx'
export { ExternalIdInput } from './fields/ExternalIdInput.tsx'
export { OperationalSelect } from './fields/IdentityFields.tsx'
export { useConnectorDetour } from './fields/useConnectorDetour.ts'
export { deviceListInput, filterOf } from './filters.ts'
export { PacketDetails } from './packets/PacketDetails.tsx'
export { type ConnectorRow, type Device, type DriverRow, invalidateDevices, useConnector } from './queries.ts'
export {
  type DeviceAction,
  type DeviceProps,
  type DeviceWizard,
  deviceActions,
  deviceFilterActions,
  deviceNotices,
  deviceSections,
  deviceTabs,
  deviceWizards,
  packetActions,
  type SelectionAction,
  selectionActions,
} from './slots.ts'
export { findTemplates, templateTitle } from './template/choices.ts'
export { useDeviceFilters } from './useDeviceFilters.ts'
export { checkDevice, type DeviceValues, emptyDevice, toInput } from './values.ts'
