import { Button } from '@mantine/core'
import { IconAdjustments } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { onDemand } from '../../lib/onDemand.ts'
import { useUrlSearch } from '../../lib/url.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import type { ListParams } from '../../ui/list/types.ts'
import { countOf } from './builder/draft.ts'
import { builtKey, readBuilt } from './filters.ts'

const FilterBuilder = onDemand(() => import('./builder/FilterBuilder.tsx'))

/** Opens the editor of nested conditions; their number is shown while they apply. */
export function FilterButton({ params }: { params: ListParams }) {
  const { t } = useTranslation()
  const [, update] = useUrlSearch()
  const [opened, setOpened] = useState(false)
  const built = readBuilt(params.filters[builtKey]?.[0])
  return (
    <>
      <Button
        variant={built ? 'light' : 'default'}
        color={built ? 'accent' : 'gray'}
        size="compact-md"
        leftSection={<Icon of={IconAdjustments} size={14} />}
        onClick={() => setOpened(true)}
      >
        {built
          ? t('stateOverview.builder.conditions', { count: countOf(built) })
          : t('stateOverview.builder.open')}
      </Button>
      {opened ? (
        <Suspense fallback={null}>
          <FilterBuilder
            filter={built}
            onApply={(filter) => {
              update({ [builtKey]: filter ? JSON.stringify(filter) : undefined, page: undefined })
              setOpened(false)
            }}
            onClose={() => setOpened(false)}
          />
        </Suspense>
      ) : null}
    </>
  )
}
