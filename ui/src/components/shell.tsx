import { ActionIcon, Menu, UnstyledButton, useMantineColorScheme } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, NavLink, Outlet, useLocation } from "react-router";
import { api } from "../api/client";
import { useMe } from "../api/queries";
import { leaveForSignIn } from "../router";
import { useSpoken } from "../words";
import { Icon } from "./icon";

export function Shell() {
  const { words } = useSpoken();
  const { pathname } = useLocation();
  const isInProjects = pathname === "/" || pathname.startsWith("/projects") || pathname.startsWith("/tasks");
  return (
    <div className="shell">
      <a className="skip" href="#content">
        {words.app.skip}
      </a>
      <header className="top">
        <NavLink to="/" className="brand" aria-label="Ingather" end>
          <Logo />
          <span>Ingather</span>
        </NavLink>
        <nav className="top-nav" aria-label={words.app.main}>
          <Link to="/" className={isInProjects ? "active" : ""} aria-current={pathname === "/" ? "page" : isInProjects}>
            {words.app.projects}
          </Link>
          <NavLink to="/engine">{words.app.engine}</NavLink>
        </nav>
        <div className="top-end">
          <LanguageMenu />
          <ColourMenu />
          <AccountMenu />
        </div>
      </header>
      <main id="content" className="content" tabIndex={-1}>
        <Outlet />
      </main>
    </div>
  );
}

export function Logo() {
  return (
    <svg width="26" height="26" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="var(--accent)" />
      <path d="M8 8l6 6M24 8l-6 6M16 6v8" stroke="#fff" strokeWidth="2.4" strokeLinecap="round" fill="none" />
      <rect x="8" y="17" width="16" height="8" rx="2" fill="#fff" />
    </svg>
  );
}

export function LanguageMenu() {
  const { language, speak, words } = useSpoken();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <UnstyledButton className="top-button" aria-label={words.app.languages}>
          <Icon name="globe" /> <span className="top-word">{words.language}</span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => speak("en")} aria-current={language === "en"}>
          English
        </Menu.Item>
        <Menu.Item onClick={() => speak("zh")} aria-current={language === "zh"}>
          中文
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function ColourMenu() {
  const { words } = useSpoken();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={words.app.colours}>
          <Icon name={colorScheme === "dark" ? "moon" : "sun"} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => setColorScheme("light")}>{words.app.light}</Menu.Item>
        <Menu.Item onClick={() => setColorScheme("dark")}>{words.app.dark}</Menu.Item>
        <Menu.Item onClick={() => setColorScheme("auto")}>{words.app.system}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function AccountMenu() {
  const { words } = useSpoken();
  const me = useMe();
  const client = useQueryClient();
  const signOut = useMutation({
    mutationFn: () => api.delete("/api/v1/session"),
    onSettled: () => {
      client.clear();
      leaveForSignIn();
    },
  });
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <UnstyledButton className="top-button" aria-label={me.data?.name ?? "…"}>
          <Icon name="person" /> <span className="account-name top-word">{me.data?.name ?? "…"}</span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {me.data?.is_operator && <Menu.Label>{words.app.operator}</Menu.Label>}
        <Menu.Item onClick={() => signOut.mutate()}>{words.app.signOut}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
