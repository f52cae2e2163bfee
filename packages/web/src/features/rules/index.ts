/** What other features use of the rules: the tab of a twin or device. */
export { RulesTab } from './RulesTab.tsx'
