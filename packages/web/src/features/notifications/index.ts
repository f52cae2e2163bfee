export { NotificationsSection } from './parts.tsx'
