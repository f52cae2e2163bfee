/** What other screens use of connectors. */
export { SendHint } from './SendHint.tsx'
