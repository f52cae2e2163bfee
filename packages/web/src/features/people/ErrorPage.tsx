import { Button, Group } from '@mantine/core'
import { IconHome, IconMapQuestion, IconRefresh } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { safeRedirect } from '../../lib/redirect.ts'
import { one, useUrlSearch } from '../../lib/url.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import classes from './auth.module.css'

/** Loads the console again at an address: it may belong to a version that is newer than the page. */
function openAgain(path: string): void {
  // Past the router, which would go to the address first.
  History.prototype.replaceState.call(history, null, '', `#${path}`)
  location.reload()
}

/** Shown for unknown addresses or missing permission: offers retry, home and help. */
export default function ErrorPage() {
  const { t } = useTranslation()
  const [search] = useUrlSearch()
  return (
    <div className={classes.errorPage}>
      <EmptyState
        order={1}
        icon={IconMapQuestion}
        title={t('errorPage.title')}
        text={t('errorPage.text')}
        action={
          <Group mt="sm" justify="center">
            <Button
              variant="default"
              leftSection={<Icon of={IconRefresh} />}
              onClick={() => openAgain(safeRedirect(one(search, 'from')))}
            >
              {t('common.retry')}
            </Button>
            <Button
              leftSection={<Icon of={IconHome} />}
              renderRoot={(props) => <Link {...props} to="/home" />}
            >
              {t('errorPage.home')}
            </Button>
            <Button variant="default" renderRoot={(props) => <Link {...props} to="/help" />}>
              {t('errorPage.contact')}
            </Button>
          </Group>
        }
      />
    </div>
  )
}
