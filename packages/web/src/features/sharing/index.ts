export { ShareBoard, shareTwin } from './parts.tsx'
