export { ApplicationsTab } from './ApplicationsTab.tsx'
export { GrantedSection } from './GrantedSection.tsx'
