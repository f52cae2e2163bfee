import type { RoleName } from '@leitstand/contract/roles'
import type { TFunction } from 'i18next'

/** Name of a role; built-in roles are translated. */
export function roleText(t: TFunction, { name, key }: RoleName): string {
  return key === null ? name : t(`roles.delivered.${key}.name`)
}

/** Description of a role; built-in roles are translated. */
export function roleDescription(
  t: TFunction,
  { description, key }: { description: string; key: RoleName['key'] },
): string {
  return key === null ? description : t(`roles.delivered.${key}.description`)
}
