export function RulesTab(_: { objectId: number; title: string; editable: boolean }) {
  return null
}
