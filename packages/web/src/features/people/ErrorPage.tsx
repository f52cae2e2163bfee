import { Button, Group } from '@mantine/core'
import { IconHome, IconMapQuestion } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../ui/display/Icon.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import classes from './auth.module.css'

/** Shown for unknown addresses or missing permission: offers retry, home and help. */
export default function ErrorPage() {
  const { t } = useTranslation()
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
