import { Button } from '@mantine/core'
import { IconListTree } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { one, useUrlSearch } from '../../lib/url.ts'
import { Icon } from '../../ui/display/Icon.tsx'

/** Address parameter of the view with a heading for each twin. */
const groupParam = 'by'

/** Whether the states are shown below their twins (`?by=twin`). */
export function useGrouped(): boolean {
  const [search] = useUrlSearch()
  return one(search, groupParam) === 'twin'
}

/** Shows the states below their twins, which determines their order. */
export function GroupSwitch() {
  const { t } = useTranslation()
  const grouped = useGrouped()
  const [, update] = useUrlSearch()
  return (
    <Button
      variant={grouped ? 'light' : 'default'}
      color={grouped ? 'accent' : 'gray'}
      size="compact-md"
      aria-pressed={grouped}
      leftSection={<Icon of={IconListTree} size={14} />}
      onClick={() => update({ [groupParam]: grouped ? undefined : 'twin', sort: undefined, page: undefined })}
    >
      {t('stateOverview.group')}
    </Button>
  )
}
