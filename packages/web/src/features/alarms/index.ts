export { AlarmTending } from './AlarmTending.tsx'
export { alarmFilterValues } from './alarmFilter.ts'
export { AlarmsOfTwin } from './parts.tsx'
