/** What other screens use of decoding packets again. */
export { DecodeAgain, DecodeDialog } from './DecodeAgain.tsx'
