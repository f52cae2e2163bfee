/** Ids selected in a filter; undefined: none. Other texts, from an old link, are dropped. */
export function idsOf(values: readonly string[] | undefined): number[] | undefined {
  const ids = (values ?? []).filter((value) => /^[1-9]\d{0,8}$/.test(value)).map(Number)
  return ids.length > 0 ? ids : undefined
}

/** The selected values that the filter knows; undefined: none. */
export function knownOf<T extends string>(
  known: readonly T[],
  values: readonly string[] | undefined,
): T[] | undefined {
  const found = known.filter((each) => values?.includes(each))
  return found.length > 0 ? found : undefined
}

/** Which of two opposite values is selected; undefined: neither or both, so that nothing is left out. */
export function eitherOf(
  values: readonly string[] | undefined,
  yes: string,
  no: string,
): boolean | undefined {
  const isYes = values?.includes(yes) ?? false
  const isNo = values?.includes(no) ?? false
  return isYes === isNo ? undefined : isYes
}
