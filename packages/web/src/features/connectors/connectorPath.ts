/** Address of a connector's page. */
export function connectorPath({ accountId, id }: { accountId: number; id: number }): string {
  return `/connectors/edit/${accountId}/${id}`
}
