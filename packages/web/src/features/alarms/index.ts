export { AlarmTending } from './AlarmTending.tsx'
export { AlarmsOfTwin } from './parts.tsx'
