/** An operation of the REST API. */
export interface Operation {
  method: string
  path: string
  summary: string
  tag: string
}

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const
/** The part of an OpenAPI document that is listed. */
export type Description = {
  paths?: Record<string, Partial<Record<string, { summary?: string; tags?: string[] }>>>
}

/** Operations of an OpenAPI document, by tag, then path. */
export function operationsOf(description: Description): Operation[] {
  return Object.entries(description.paths ?? {})
    .flatMap(([path, item]) =>
      methods.flatMap((method) => {
        const operation = item[method]
        return operation
          ? [
              {
                method: method.toUpperCase(),
                path,
                summary: operation.summary ?? '',
                tag: operation.tags?.[0] ?? '',
              },
            ]
          : []
      }),
    )
    .sort((a, b) => a.tag.localeCompare(b.tag) || a.path.localeCompare(b.path))
}
