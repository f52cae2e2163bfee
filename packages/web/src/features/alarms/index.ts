export { AlarmsOfTwin } from './parts.tsx'
