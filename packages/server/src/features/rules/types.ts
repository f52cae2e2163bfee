/** A problem in a draft with its path: `['metrics', '2', 'alias']`. */
export interface Issue {
  path: string[]
  message: string
  /** What the console says instead: a key of its texts below `validation.custom`. */
  text?:
    | 'aliasUnknown'
    | 'chartOfNothing'
    | 'connectorForeign'
    | 'connectorUnfit'
    | 'cronInvalid'
    | 'datesReversed'
    | 'holidaysUnknown'
    | 'releaseBeyond'
    | 'deviceForeign'
    | 'fenceDistance'
    | 'fenceMinutes'
    | 'fenceTwinGone'
    | 'fenceZoneBare'
    | 'fenceZoneGone'
    | 'jsonTemplate'
    | 'manyExcept'
    | 'manyFenceBelow'
    | 'manyFenceTwins'
    | 'manyNot'
    | 'manyRules'
    | 'manyTwins'
    | 'noDownlink'
    | 'pastChildren'
    | 'pastNoState'
    | 'ruleForeign'
    | 'ruleLoop'
    | 'rulesLoop'
    | 'stateComputed'
    | 'stateNoAggregate'
    | 'stateTwice'
    | 'timesTooMany'
    | 'ticketForbidden'
    | 'userForeign'
    | 'valueUnfitting'
  /** for the placeholders of that text */
  params?: Readonly<Record<string, string>>
}
