/** `virtual:contract` in unit tests: the contract itself, which has the same routes. */
export { contract as default } from '@leitstand/contract'
