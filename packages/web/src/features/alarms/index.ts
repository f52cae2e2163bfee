export { AlarmTending } from './AlarmTending.tsx'
export { alarmFilterValues } from './alarmFilter.ts'
export { AlarmsOfDevice, AlarmsOfTwin } from './parts.tsx'
export { alarmActions } from './slots.ts'
