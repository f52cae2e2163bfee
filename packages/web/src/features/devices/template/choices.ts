import { client } from '../../../lib/api.ts'

interface Option {
  value: string
  label: string
}

const found = 20

/** Filter for a template picker. */
interface TemplateWish {
  accountIds?: number[]
  connectorIds?: number[]
  driverIds?: number[]
  /** only those that devices can be created from and linked to */
  productive?: boolean
}

/** Templates by title, for pickers. */
export async function findTemplates(search: string, wish: TemplateWish = {}): Promise<Option[]> {
  const { items } = await client.deviceTemplate.list({
    limit: found,
    orderBy: 'title',
    ...(search ? { search } : {}),
    ...(wish.accountIds ? { accountIds: wish.accountIds } : {}),
    ...(wish.connectorIds ? { connectorIds: wish.connectorIds } : {}),
    ...(wish.driverIds ? { driverIds: wish.driverIds } : {}),
    ...(wish.productive === undefined ? {} : { productive: wish.productive }),
  })
  return items.map((template) => ({ value: String(template.id), label: template.title }))
}

export async function templateTitle(id: string): Promise<string> {
  return (await client.deviceTemplate.get({ id: Number(id) })).title
}
