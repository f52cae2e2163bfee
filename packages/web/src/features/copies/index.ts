export { duplicateTwin } from './parts.ts'
