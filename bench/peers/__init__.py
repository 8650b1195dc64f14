"""Ours beside MuJoCo, Drake, DART and Bullet on the same scenes; run by bench/peers.py."""
