/** Whether an action names its state in one way: by its id, or by its key at the twin that the rule runs on. */
export function namesOneState({
  stateId,
  stateKey,
}: {
  stateId?: number | undefined
  stateKey?: string | undefined
}): boolean {
  return (stateId === undefined) !== (stateKey === undefined)
}
