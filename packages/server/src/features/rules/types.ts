/** A problem in a draft with its path: `['metrics', '2', 'alias']`. */
export interface Issue {
  path: string[]
  message: string
  /** What the console says instead: a key of its texts below `validation.custom`. */
  text?:
    | 'aliasUnknown'
    | 'connectorForeign'
    | 'connectorUnfit'
    | 'cronInvalid'
    | 'deviceForeign'
    | 'jsonTemplate'
    | 'noDownlink'
    | 'ruleForeign'
    | 'ruleLoop'
    | 'rulesLoop'
    | 'stateComputed'
    | 'stateTwice'
    | 'userForeign'
    | 'valueUnfitting'
  /** for the placeholders of that text */
  params?: Readonly<Record<string, string>>
}
