export { SsoTab } from './SsoTab.tsx'
